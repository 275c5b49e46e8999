"""The additive ranking: a note's score as the sum of bounded parts, each shown in the reply."""
