update reject_reasons set reasons = :reasons, changed_at = now(), changed_by = :changed_by
returning to_jsonb(reasons) as reasons, changed_at, changed_by
