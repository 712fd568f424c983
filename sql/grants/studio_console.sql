-- The console's pool: the functions of schema console, each of which asks for the session of a signed-in user and decides
-- by that user's membership. No table, no view, nothing else.

grant execute on function
  console.sign_in, console.sign_out, console.list_studios, console.list_tokens, console.list_members,
  console.token_activity, console.issue_token, console.revoke_token, console.list_audit_log
  to studio_console;
