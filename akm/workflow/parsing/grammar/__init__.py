"""The grammar of the frontmatter, one module per part. Rules that span steps are not here."""
