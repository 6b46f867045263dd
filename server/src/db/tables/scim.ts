import type { Generated } from 'kysely';
import type { JsonColumn } from './json-column.ts';

export interface ScimTables {
  /** Identity providers that manage accounts by SCIM. */
  scim_connections: {
    id: Generated<number>;
    name: string;
    /** `fingerprint` of the secret. */
    secret_hash: string;
    hint: string;
    adopts: boolean;
    admins: boolean;
    created_time: number;
    used_time: number;
    used_ip: string;
  };
  /** Accounts that a connection manages. */
  scim_users: {
    user_id: number;
    connection_id: number;
    /** Lower case of the user name at the provider. */
    user_key: string;
    external_id: string;
    /** As the provider wants it; the account may be disabled besides. */
    active: boolean;
    /** Attributes as they were sent, with those that have no effect. */
    resource: JsonColumn<Record<string, unknown>>;
    version: number;
    created_time: number;
    changed_time: number;
    /** Removed at the provider; the account is disabled and comes back under the same name or external id. */
    deleted_time: number | null;
  };
  scim_groups: {
    id: Generated<number>;
    connection_id: number;
    name: string;
    /** Lower case of the name. */
    name_key: string;
    external_id: string;
    version: number;
    created_time: number;
    changed_time: number;
  };
  scim_group_members: { group_id: number; user_id: number };
}
