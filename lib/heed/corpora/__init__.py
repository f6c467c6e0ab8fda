"""What is read: corpora, word vectors, and texts as batches of codes."""
