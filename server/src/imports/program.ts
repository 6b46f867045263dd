import { type OldDatabase, OldDatabaseError } from './sources/old-database.ts';

export type Program = 'one-hub' | 'done-hub' | 'one-api' | 'new-api';

/** The old program, recognised by tables and columns: file names and versions in the database do not identify it. */
export interface OldProgram {
  program: Program;
  /** Tables and columns that this import does not know, of forks and later versions. */
  unknown: string[];
  has(table: string, column?: string): boolean;
}

/** Finds out which program wrote the database. Throws `OldDatabaseError` if none of the four did. */
export function detectProgram({ tables }: Pick<OldDatabase, 'tables'>): OldProgram {
  const has = (table: string, column?: string): boolean => {
    const columns = tables.get(table);
    return columns !== undefined && (column === undefined || columns.has(column));
  };
  const missing = ['users', 'channels', 'tokens', 'options'].filter((table) => !has(table));
  if (missing.length > 0)
    throw new OldDatabaseError(
      `This is not a database of one-hub, done-hub, one-api or new-api: it has no table ${missing.join(', ')}.`,
    );
  return { program: programOf(has), unknown: [...tables.keys()].filter((name) => !knownTables.has(name)), has };
}

function programOf(has: OldProgram['has']): Program {
  if (has('prices')) {
    if (!has('user_groups'))
      throw new OldDatabaseError(
        'This database was written by one-hub before 0.13. Start 0.14 on it once, then import.',
      );
    const isDone =
      has('invite_codes') ||
      has('users', 'linuxdo_id') ||
      has('channels', 'cost_ratio') ||
      has('user_groups', 'description');
    return isDone ? 'done-hub' : 'one-hub';
  }
  if (has('top_ups') || has('quota_data') || has('channels', 'channel_info')) return 'new-api';
  if (has('channels', 'config') || has('abilities')) return 'one-api';
  throw new OldDatabaseError(
    'This database has the tables of the family, but neither prices (one-hub), top_ups (new-api) nor abilities (one-api).',
  );
}

/** Tables of the four programs: those that are read, and those that hold nothing to take over. */
const knownTables = new Set(
  `abilities auth_flows authz_roles casbin_rule channels checkins custom_oauth_providers external_identity_claims
  invite_codes logs midjourneys migrations model_info model_mappings model_owned_by models options orders
  passkey_credentials payments perf_metrics prefill_groups prices quota_data redemptions setups statistics
  statistics_month_generated_histories statistics_months subscription_orders subscription_plans
  subscription_pre_consume_records system_instances system_tasks tasks telegram_menus tokens top_ups two_fa_backup_codes
  two_fas user_groups user_oauth_bindings user_sessions user_subscriptions users vendors webauthn_credentials`
    .split(/\s+/)
    .filter((name) => name !== ''),
);
