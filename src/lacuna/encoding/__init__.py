"""Mentions ↔ what models predict: tags (flat, li) and subgraphs (hypergraph)."""
