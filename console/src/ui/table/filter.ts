import type { ReactNode } from 'react';

export type FilterValue = string | number;

/** By filter id; absent, empty and 0 mean "not set", as in the API. */
export type FilterValues = Readonly<Record<string, FilterValue | undefined>>;

interface Common {
  /** Key in the address. */
  id: string;
  label: string;
  /** Visible in the toolbar even when not set. */
  pinned?: boolean | undefined;
}

export interface FilterOption {
  value: FilterValue;
  label: string;
  /** Before the label: a `Mark` of 20. */
  tile?: ReactNode;
}

export type FilterDef =
  | (Common & { kind: 'options'; options: readonly FilterOption[] })
  | (Common & { kind: 'text'; placeholder?: string | undefined })
  /** The value is a preset or two dates; see `rangeSeconds`. */
  | (Common & { kind: 'range' });

/** Number of rows for a choice of filters; a lower bound with `more`. */
export type Counted = number | { total: number; more: boolean };

export const isSet = (value: FilterValue | undefined): value is FilterValue =>
  value !== undefined && value !== '' && value !== 0;

/** A change that clears all filters. */
export const noFilters = (filters: readonly FilterDef[]): FilterValues =>
  Object.fromEntries(filters.map(({ id }) => [id, undefined]));

const hourS = 3600;
const stepS = 300;

export const rangePresets = ['1h', 'today', 'yesterday', '7d', '30d'] as const;
export type RangePreset = (typeof rangePresets)[number];

export const isPreset = (value: FilterValue | undefined): value is RangePreset =>
  rangePresets.some((preset) => preset === value);

/** Two local dates `yyyy-mm-dd`, or times `yyyy-mm-ddThh:mm`, as one value; either may be empty. */
export const customRange = (from: string, to: string): string => (from === '' && to === '' ? '' : `${from}..${to}`);

/** Both ends of a custom range, as `customRange` took them; empty strings for a preset. */
export function endsOf(value: FilterValue | undefined): { from: string; to: string } {
  const [from = '', to = ''] = typeof value === 'string' && value.includes('..') ? value.split('..') : [];
  return { from, to };
}

/** The dates of a custom range; empty strings for a preset. */
export function datesOf(value: FilterValue | undefined): { from: string; to: string } {
  const { from, to } = endsOf(value);
  return { from: from.slice(0, 10), to: to.slice(0, 10) };
}

/** A range as Unix seconds in local time, both inclusive; 0 is open. Days are calendar days, including today. */
export function rangeSeconds(value: FilterValue | undefined, now = new Date()): { start: number; end: number } {
  const midnight = (daysAgo: number) =>
    Math.floor(new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime() / 1000);
  // In steps, so that the same list is not another one a second later.
  if (value === '1h') return { start: Math.floor((now.getTime() / 1000 - hourS) / stepS) * stepS, end: 0 };
  if (value === 'today') return { start: midnight(0), end: 0 };
  if (value === 'yesterday') return { start: midnight(1), end: midnight(0) - 1 };
  if (value === '7d') return { start: midnight(6), end: 0 };
  if (value === '30d') return { start: midnight(29), end: 0 };
  const { from, to } = endsOf(value);
  return {
    start: secondsOf(from.includes('T') ? `${from}:00` : `${from}T00:00:00`),
    end: secondsOf(to.includes('T') ? `${to}:59` : `${to}T23:59:59`),
  };
}

function secondsOf(local: string): number {
  const ms = new Date(local).getTime();
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}
