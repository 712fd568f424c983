-- Keeps how the last run of a job ended, for `studio-inventory jobs`. A failure leaves the last
-- success as it was. Instances that run the same job share its row.
--   job              its name, of 100 characters at most
--   every_s, took_s  the pause between two runs and the length of this one, in seconds
--   changed          how many rows it changed
--   failure          why it failed, cut after 500 characters; null for a success
create or replace function access.record_job(
  job text, every_s double precision, took_s double precision, changed bigint, failure text
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into access.jobs as j (name, every, succeeded_at, took, rows, failed_at, failure)
  values (
    job, pg_catalog.make_interval(secs => every_s),
    case when record_job.failure is null then pg_catalog.now() end,
    case when record_job.failure is null then pg_catalog.make_interval(secs => took_s) end,
    case when record_job.failure is null then changed end,
    case when record_job.failure is not null then pg_catalog.now() end,
    pg_catalog.left(record_job.failure, 500))
  on conflict (name) do update set
    every = excluded.every,
    succeeded_at = coalesce(excluded.succeeded_at, j.succeeded_at),
    took = coalesce(excluded.took, j.took),
    rows = coalesce(excluded.rows, j.rows),
    failed_at = coalesce(excluded.failed_at, j.failed_at),
    failure = coalesce(excluded.failure, j.failure);
end
$$;

comment on function access.record_job(text, double precision, double precision, bigint, text) is
  'Keeps how the last run of a job ended.';
