-- The console's pool: executes the functions of schema console, and reads no table or view. Each
-- function except those for signing in and out takes a session and checks its user's membership.

grant execute on function
  console.sign_in, console.sign_out, console.use_once, console.list_studios, console.list_tokens, console.list_members,
  console.admit_member, console.change_role, console.dismiss_member, console.read_plan,
  console.token_activity, console.issue_token, console.revoke_token, console.list_audit_log,
  console.keep_upload, console.read_upload
  to studio_console;
