-- Records request activity and last use, through one function; ends what analysts may not do, through another, which
-- leaves no choice to its caller. Nothing else.

grant execute on function access.record_activity, access.watch_analysts to studio_recorder;
