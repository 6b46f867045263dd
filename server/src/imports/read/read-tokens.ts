import { tokenStatus } from '@relay-hub/contract';
import { isObject } from '#json.ts';
import {
  creditsIn,
  expiryIn,
  flagIn,
  isDeleted,
  lineIn,
  listIn,
  objectIn,
  type OldRow,
  OldValueError,
  partsOf,
  rowName,
  textIn,
  timeIn,
  wholeIn,
} from '../old-row.ts';
import { type OldWorld, readRows, symbolOf } from './old-world.ts';

/** Allowed models and addresses of a token; empty lists restrict nothing. */
export interface TokenRestriction {
  models: string[];
  addresses: string[];
}

export interface ArrivingToken {
  oldId: number;
  /** Old id of the owner. */
  owner: number;
  name: string;
  /** Without `sk-`. */
  key: string;
  status: number;
  created_time: number;
  accessed_time: number;
  expired_time: number;
  remain_quota: number;
  unlimited_quota: boolean;
  used_quota: number;
  group: string;
  restriction: TokenRestriction | undefined;
}

const states = new Set<number>(Object.values(tokenStatus));
const LEAST_KEY = 16;
const MOST_KEY = 128;

export const readTokens = (world: OldWorld): AsyncIterable<ArrivingToken> =>
  readRows(world, {
    table: 'tokens',
    kind: 'token',
    name: nameOf,
    lost: (row) => {
      if (wasEnabled(row)) world.report.remark('key_stops', `${nameOf(row)}: it cannot be taken over`);
    },
    read: (row) => (isDeleted(row) ? undefined : readToken(row, world)),
  });

const wasEnabled = (row: OldRow): boolean => textIn(row, 'status') === String(tokenStatus.enabled);

const nameOf = (row: OldRow): string => rowName(row, 'token');

function readToken(row: OldRow, world: OldWorld): ArrivingToken {
  const { report } = world;
  const key = textIn(row, 'key').replace(/^sk-/, '');
  if (key === '') throw new OldValueError('it has no key');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new OldValueError('its key has characters that cannot be used');
  if (key.length > MOST_KEY) throw new OldValueError(`a key of ${key.length} characters`);
  if (key.length < LEAST_KEY) report.remark('weak_key', nameOf(row));
  const group = textIn(row, 'group');
  if (group === 'auto') report.remark('auto_group', nameOf(row));
  const status = wholeIn(row, 'status');
  return {
    oldId: wholeIn(row, 'id'),
    owner: wholeIn(row, 'user_id'),
    name: lineIn(row, 'name', 30) || `token ${wholeIn(row, 'id')}`,
    key,
    status: states.has(status) ? status : tokenStatus.disabled,
    created_time: timeIn(row, 'created_time'),
    accessed_time: timeIn(row, 'accessed_time'),
    expired_time: expiryIn(row, 'expired_time'),
    remain_quota: creditsIn(row, 'remain_quota'),
    unlimited_quota: flagIn(row, 'unlimited_quota'),
    used_quota: Math.max(0, creditsIn(row, 'used_quota')),
    group: group === '' || group === 'auto' ? '' : symbolOf(world, group),
    restriction: restrictionOf(row),
  };
}

/** The restriction by the columns of one-api, new-api and done-hub. */
function restrictionOf(row: OldRow): TokenRestriction | undefined {
  const limits = objectIn(row, 'setting')['limits'];
  const ofDoneHub = isObject(limits) ? limits : {};
  const byModel = isObject(ofDoneHub['limit_model_setting']) ? ofDoneHub['limit_model_setting'] : ofDoneHub;
  const byAddress = isObject(ofDoneHub['limits_ip_setting']) ? ofDoneHub['limits_ip_setting'] : {};
  const models = [
    ...listIn(row, 'models'),
    ...(flagIn(row, 'model_limits_enabled') ? listIn(row, 'model_limits') : []),
    ...(byModel['enabled'] === true ? textsIn(byModel['models']) : []),
  ];
  const addresses = [
    ...listIn(row, 'subnet'),
    ...partsOf(textIn(row, 'allow_ips'), /[\s,]+/),
    ...(byAddress['enabled'] === true ? textsIn(byAddress['whitelist'] ?? byAddress['ips']) : []),
  ];
  return models.length + addresses.length > 0 ? { models, addresses } : undefined;
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
