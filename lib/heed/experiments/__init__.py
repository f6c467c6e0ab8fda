"""One module a chapter, named as its notebook is: its products, and what only they need."""
