import type { AuditDetail } from '@relay-hub/contract';
import { formatDateTime } from '#ui/format/time.ts';

type Json = AuditDetail['before'];

export interface Difference {
  field: string;
  before: string;
  after: string;
}

export interface Differences {
  /** `changed`: both records exist; `made`, `gone`: only the later or earlier one does; `none`: neither does. */
  kind: 'changed' | 'made' | 'gone' | 'none';
  rows: Difference[];
  /** Number of fields equal in both. */
  same: number;
}

const isRecord = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Differences between a record before and after, field by field; for a single record, its fields. */
export function differencesOf(before: Json, after: Json): Differences {
  const [was, is] = [isRecord(before) ? before : undefined, isRecord(after) ? after : undefined];
  if (!was && !is) return { kind: 'none', rows: [], same: 0 };
  const fields = Object.keys({ ...was, ...is });
  const all = fields.map((field) => ({
    field,
    before: displayed(field, was?.[field]),
    after: displayed(field, is?.[field]),
  }));
  const rows = all.filter((row) => row.before !== row.after);
  const kind = was && is ? 'changed' : is ? 'made' : 'gone';
  return { kind, rows, same: kind === 'changed' ? all.length - rows.length : 0 };
}

const isMoment = (field: string, value: unknown): value is number =>
  typeof value === 'number' && value > 1e9 && /_(time|at)$/.test(field);

/** A value as readable text; empty for missing and empty values. */
function displayed(field: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (isMoment(field, value)) return formatDateTime(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
