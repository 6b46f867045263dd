import type { ChannelBulkEdit, ChannelChange, batchSkipReasons } from '@relay-hub/contract';
import { channelStatus, splitList } from '@relay-hub/contract';
import { findChannelType } from '#channel-types/channel-types.ts';
import { limitsText } from '#live/channel-limits.ts';
import type { ChannelRow } from '#features/channel/channel-record.ts';
import { type ChannelSet, different } from './plan-edit.ts';

/** The columns to write to one channel (empty if nothing changes), or the reason for skipping it. */
export type PlannedChange = { set: ChannelSet } | { skip: (typeof batchSkipReasons)[number] };

/** Plans a change for one channel. */
export function planFor(row: ChannelRow, change: ChannelChange, now: number): PlannedChange {
  switch (change.verb) {
    case 'delete':
      return { set: { deleted_time: now } };
    case 'disable':
      return { set: different(row, { status: channelStatus.disabled }) };
    case 'enable':
      return findChannelType(row.type)?.supported
        ? { set: different(row, { status: channelStatus.enabled }) }
        : { skip: 'type_unsupported' };
    case 'edit':
      return edited(row, change);
  }
}

function edited(row: ChannelRow, change: ChannelBulkEdit): PlannedChange {
  const models = change.models ? listAfter(row.models, change.models) : row.models;
  if (models === '') return { skip: 'no_models_left' };
  const group = change.group ? listAfter(row.group, change.group) : row.group;
  if (group === '') return { skip: 'no_groups_left' };
  const other = change.api_version ?? row.other;
  if (change.api_version !== undefined && !hasApiVersion(row.type)) return { skip: 'no_api_version' };
  const { tag = row.tag, priority = row.priority, weight = row.weight, test_model = row.test_model } = change;
  const limits = change.limits === undefined ? row.limits : limitsText(change.limits);
  return { set: different(row, { group, models, tag, priority, weight, test_model, other, limits }) };
}

function hasApiVersion(type: number): boolean {
  const kind = findChannelType(type)?.other?.kind;
  return kind === 'api_version' || kind === 'preview_or_latest';
}

function listAfter(list: string, { how, value }: NonNullable<ChannelBulkEdit['models']>): string {
  const [had, given] = [splitList(list), splitList(value)];
  if (how === 'replace') return given.join(',');
  if (how === 'add') return [...new Set([...had, ...given])].join(',');
  return had.filter((name) => !given.includes(name)).join(',');
}
