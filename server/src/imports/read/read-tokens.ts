import { oneLine, tokenStatus } from '@relay-hub/contract';
import { isObject } from '#json.ts';
import {
  flagIn,
  isDeleted,
  listIn,
  objectIn,
  type OldRow,
  OldValueError,
  partsOf,
  textIn,
  wholeIn,
} from '../old-row.ts';
import { type OldWorld, symbolOf } from './old-world.ts';

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

export async function* readTokens(world: OldWorld): AsyncIterable<ArrivingToken> {
  const { database, report } = world;
  for await (const row of database.rows('tokens')) {
    if (isDeleted(row)) continue;
    try {
      yield readToken(row, world);
    } catch (error) {
      if (!(error instanceof OldValueError)) throw error;
      report.count('token', 'lost');
      report.remark('lost', `${nameOf(row)}: ${error.message}`);
    }
  }
}

const nameOf = (row: OldRow): string => `token ${wholeIn(row, 'id')} (${oneLine(textIn(row, 'name'))})`;

function readToken(row: OldRow, world: OldWorld): ArrivingToken {
  const { report } = world;
  const key = textIn(row, 'key').replace(/^sk-/, '');
  if (key === '') throw new OldValueError('it has no key');
  if (key.length > MOST_KEY) throw new OldValueError(`a key of ${key.length} characters`);
  if (key.length < LEAST_KEY) report.remark('weak_key', nameOf(row));
  const group = textIn(row, 'group');
  if (group === 'auto') report.remark('auto_group', nameOf(row));
  const status = wholeIn(row, 'status');
  const expires = wholeIn(row, 'expired_time');
  return {
    oldId: wholeIn(row, 'id'),
    owner: wholeIn(row, 'user_id'),
    name: oneLine(textIn(row, 'name')).slice(0, 30) || `token ${wholeIn(row, 'id')}`,
    key,
    status: states.has(status) ? status : tokenStatus.disabled,
    created_time: wholeIn(row, 'created_time'),
    accessed_time: wholeIn(row, 'accessed_time'),
    expired_time: expires <= 0 ? -1 : expires,
    remain_quota: wholeIn(row, 'remain_quota'),
    unlimited_quota: flagIn(row, 'unlimited_quota'),
    used_quota: Math.max(0, wholeIn(row, 'used_quota')),
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
