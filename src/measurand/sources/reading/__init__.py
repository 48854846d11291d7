"""What several sources read with: files, archives, JSON as it occurs, words of failures, side tables."""
