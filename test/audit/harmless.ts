/** What looks like an offence and is none: after it, every rule still finds nothing. */
export const harmless: Record<string, string> = {
  'a table that nobody can reach': 'create table app.quiet (name text); create index on app.quiet (name)',
  'a table of somebody else in a schema that no exposed role can use':
    'create schema other; create table other.t (name text); grant all on other.t to public',
  'a view that says it in another word': 'alter view api_v1.items set (security_invoker = yes)',
  'a restrictive policy': 'create policy less on app.items as restrictive using (archived_at is null)',
  'a function with a parsed body and its caller’s rights': `create function valuation.one() returns int language sql return 1;
    revoke execute on function valuation.one() from public`,
  'a superuser who is a member of several roles':
    'create role studio_test_offender superuser in role studio_api, studio_analyst, studio_owner',
  'an administrator who owns nothing and acts as the owner': 'create role studio_test_offender in role studio_owner',
  'an analyst': 'create role studio_test_offender login in role studio_analyst',
}
