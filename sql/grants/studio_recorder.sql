-- Records request activity and last use, through one function; ends what analysts may not do,
-- through another, which leaves no choice to its caller; deletes expired uploads and old details of requests, in the same way;
-- moves the watermark. Nothing else.

grant execute on function
  access.record_activity, access.watch_analysts, access.purge_uploads, access.purge_activity, access.heartbeat,
  access.history, access.watermark to studio_recorder;
