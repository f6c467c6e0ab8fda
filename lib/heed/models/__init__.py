"""What is trained: encoders, attentions, heads, and training itself."""
