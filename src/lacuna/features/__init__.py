"""From tokens to integer features: declared as data, evaluated per word type."""
