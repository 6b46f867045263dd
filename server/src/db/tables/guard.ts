import type { GuardHook, GuardRule } from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { JsonColumn, OptionalJsonColumn } from './json-column.ts';

export interface GuardTables {
  /** Rules that mask or refuse what requests and answers hold. */
  guard_rules: {
    id: Generated<number>;
    name: string;
    enabled: boolean;
    action: GuardRule['action'];
    requests: boolean;
    answers: boolean;
    groups: JsonColumn<string[]>;
    token_ids: JsonColumn<number[]>;
    kinds: JsonColumn<GuardRule['kinds']>;
    patterns: JsonColumn<string[]>;
    hook: OptionalJsonColumn<GuardHook>;
    updated_time: number;
    updated_by: string;
  };
}
