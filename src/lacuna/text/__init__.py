"""What a document is, and how its text falls into tokens and sentences."""
