"""Where the layers are joined: corpus → model → documents → scores."""
