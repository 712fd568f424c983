/** An administrator, and what the whole life of an installation needs for it. */
export type Profile = {
  name: string
  /** What the server's superuser does before the administrator can begin. */
  prepare?: string[]
  /** The administrator's name. */
  user: string
  /** Whether they may run pg_upgrade: a managed server does that itself. */
  upgrades: boolean
}

export const profiles: Profile[] = [
  { name: 'a superuser', user: 'postgres', upgrades: true },
  {
    name: 'an administrator with CREATEROLE and without superuser',
    user: 'steward',
    prepare: [`create role steward login createrole createdb password 'x'`],
    upgrades: false,
  },
]
