-- Records request activity and last use, through one function, and nothing else.

grant execute on function access.record_activity to studio_recorder;
