import { givenTeamRoles, type Option, type TeamOfGroup } from '@relay-hub/contract';
import { areDiscounts } from './discount-rows.ts';
import type { Kind, SettingField } from './setting-groups.ts';

/** Whether a text equals the stored value; JSON is compared regardless of formatting. */
export function isSameValue(kind: Kind, text: string, option: Option): boolean {
  if (option.secret) return text === '';
  if (text === option.value) return true;
  if (kind !== 'json' && kind !== 'chat' && kind !== 'discounts' && kind !== 'teamGroups') return false;
  const [a, b] = [compact(text), compact(option.value)];
  return a !== undefined && a === b;
}

function compact(text: string): string | undefined {
  if (text.trim() === '') return '';
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    // No JSON equals no other text.
    return undefined;
  }
}

/** Formatted JSON; other text unchanged. */
export function spread(text: string): string {
  try {
    return text.trim() === '' ? '' : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Malformed JSON stays as typed.
    return text;
  }
}

/** The problem with a text that the page can detect, as a text key; the server checks the rest. */
export function problemOf(
  { kind, decimal, min }: SettingField,
  text: string,
): 'mustBeNumber' | 'mustBeWhole' | 'tooLow' | 'mustBeJson' | 'mustBeDiscounts' | 'mustBeGroups' | undefined {
  if (kind === 'discounts') return areDiscounts(text) ? undefined : 'mustBeDiscounts';
  if (kind === 'teamGroups')
    return teamGroupsIn(text).every(({ group, team }) => group.trim() !== '' && team > 0) ? undefined : 'mustBeGroups';
  if (kind === 'json') return compact(text) === undefined ? 'mustBeJson' : undefined;
  if (kind !== 'number' && kind !== 'credits') return undefined;
  if (!/^-?\d+(\.\d+)?$/.test(text)) return 'mustBeNumber';
  if (min !== undefined && Number(text) < min) return 'tooLow';
  return decimal || Number.isInteger(Number(text)) ? undefined : 'mustBeWhole';
}

/** The rows of the setting `TeamsOfGroups`; malformed ones are dropped. */
export function teamGroupsIn(text: string): TeamOfGroup[] {
  try {
    const rows: unknown = text.trim() === '' ? [] : JSON.parse(text);
    return Array.isArray(rows) ? rows.filter(isTeamOfGroup) : [];
  } catch {
    // Only the server writes this text.
    return [];
  }
}

const isTeamOfGroup = (row: unknown): row is TeamOfGroup =>
  typeof row === 'object' &&
  row !== null &&
  'group' in row &&
  typeof row.group === 'string' &&
  'team' in row &&
  typeof row.team === 'number' &&
  'role' in row &&
  givenTeamRoles.some((role) => role === row.role);
