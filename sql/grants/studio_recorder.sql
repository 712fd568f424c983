-- Records requests and last use, and how the jobs went; ends analysts' sessions that exceed their
-- limits, deletes expired uploads and old request details, and moves the watermark. It does all this by functions only.

grant execute on function
  access.record_activity, access.watch_analysts, access.count_logins, access.purge_uploads, access.purge_activity, access.record_job,
  access.heartbeat, access.history, access.watermark to studio_recorder;
