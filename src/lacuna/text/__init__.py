"""What a document is, and how its text is divided into tokens and sentences."""
