import { splitList, type ChannelChange, type ChannelLimits } from '@relay-hub/contract';

export const changeFields = [
  'tag',
  'group',
  'models',
  'priority',
  'weight',
  'test_model',
  'limits',
  'api_version',
] as const;
export type BulkEditField = (typeof changeFields)[number];

/** Text keys of the fields, in the texts `channelBulk`. */
export const fieldTexts = {
  tag: 'tag',
  group: 'group',
  models: 'models',
  priority: 'priority',
  weight: 'weight',
  test_model: 'testModel',
  limits: 'limits',
  api_version: 'apiVersion',
} as const satisfies Record<BulkEditField, string>;

export type Change = Extract<ChannelChange, { verb: 'edit' }>;
export type How = NonNullable<Change['models']>['how'];

/** The dialog's values; only ticked fields count. */
export interface BulkEditValues {
  on: readonly BulkEditField[];
  tag: string;
  group: string;
  groupHow: How;
  models: string;
  modelsHow: How;
  priority: number | null;
  weight: number | null;
  test_model: string;
  /** Null: none. */
  limits: ChannelLimits | null;
  api_version: string;
}

export const noChange: BulkEditValues = {
  on: [],
  tag: '',
  group: '',
  groupHow: 'replace',
  models: '',
  modelsHow: 'add',
  priority: 0,
  weight: 1,
  test_model: '',
  limits: null,
  api_version: '',
};

/** The request body; undefined while a value is missing or no field is ticked. */
export function changeOf(values: BulkEditValues): Change | undefined {
  const {
    on,
    tag,
    group,
    groupHow,
    models,
    modelsHow,
    priority,
    weight,
    test_model,
    limits,
    api_version: version,
  } = values;
  const has = (field: BulkEditField) => on.includes(field);
  const isWhole = (value: number | null, least: number) => value !== null && Number.isInteger(value) && value >= least;
  const missing =
    (has('group') && splitList(group).length === 0) ||
    (has('models') && splitList(models).length === 0) ||
    (has('priority') && !isWhole(priority, 0)) ||
    (has('weight') && !isWhole(weight, 1)) ||
    (has('api_version') && version.trim() === '');
  if (on.length === 0 || missing) return undefined;
  return {
    verb: 'edit',
    ...(has('tag') && { tag: tag.trim() }),
    ...(has('group') && { group: { how: groupHow, value: group } }),
    ...(has('models') && { models: { how: modelsHow, value: models } }),
    ...(has('priority') && { priority: priority ?? 0 }),
    ...(has('weight') && { weight: weight ?? 1 }),
    ...(has('test_model') && { test_model: test_model.trim() }),
    ...(has('limits') && { limits }),
    ...(has('api_version') && { api_version: version.trim() }),
  };
}
