def count_words(text):
    return {"words": len(text.split())}
