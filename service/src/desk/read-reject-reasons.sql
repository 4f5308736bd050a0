select to_jsonb(reasons) as reasons, changed_at, changed_by from reject_reasons
