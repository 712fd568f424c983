/** These changes look like an offence and are none. After each of them, every rule still finds
 * nothing. */
export const harmless: Record<string, string> = {
  'a table that nobody can reach':
    'set local role studio_owner; create table app.quiet (name text); create index on app.quiet (name); reset role',
  'a table of somebody else in a schema that no exposed role can use':
    'create schema other; create table other.t (name text); grant all on other.t to public',
  'a view that says it in another word': 'alter view api_v1.items set (security_invoker = yes)',
  'a restrictive policy': 'create policy less on app.items as restrictive using (archived_at is null)',
  'a function with a parsed body and its caller’s rights': `set local role studio_owner;
    create function valuation.one() returns int language sql return 1;
    revoke execute on function valuation.one() from public; reset role`,
  'a superuser who is a member of several roles':
    'create role studio_test_spy superuser in role studio_api, studio_analyst, studio_owner',
  'an administrator who owns nothing and acts as the owner': 'create role studio_test_spy in role studio_owner',
  'an analyst with limits': `create role studio_test_spy login connection limit 2 valid until '2100-01-01'
      in role studio_analyst;
    alter role studio_test_spy set temp_file_limit = '1GB';
    alter role studio_test_spy set statement_timeout = '1min'`,
  'limits that hold in this database': `create role studio_test_spy login connection limit 2 valid until '2100-01-01'
      in role studio_analyst;
    do $$ begin
      execute format('alter role studio_test_spy in database %I set temp_file_limit = 1000', current_database());
      execute format('alter database %I set statement_timeout = 1000', current_database());
    end $$`,
  'an auditor’s login': 'create role studio_test_spy login in role studio_auditor',
  'a superuser’s view and function that no exposed role can reach': `create schema other;
    create view other.all_items as select * from app.items;
    create function other.leak() returns bigint language sql security definer return 1; grant usage on schema other to studio_owner`,
  'a group without privileges': `create role studio_test_group; create role studio_test_spy in role studio_auditor, studio_test_group`,
  'a foreign key with its columns in another order': `set local role studio_owner;
    create table app.new (item_id uuid, studio_id uuid, foreign key (studio_id, item_id) references app.items);
    create index on app.new (item_id, studio_id); reset role`,
  'a setting whose name only sounds like a secret': `alter role studio_api set password_encryption = 'scram-sha-256';
    alter role studio_writer set studio.key_length = 5`,
}
