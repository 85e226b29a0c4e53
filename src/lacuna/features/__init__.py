"""From tokens to feature numbers: templates are data, most are evaluated once per word type."""
