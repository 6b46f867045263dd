import { parseTextMap } from '@relay-hub/contract';
import { isObject, parseJson } from '#json.ts';
import { objectIn, type OldRow, textIn } from '../old-row.ts';
import type { Program } from '../program.ts';

/** `other` and the way to write a key, where the old program stored these parts elsewhere. */
export interface Rebuilt {
  other: string;
  key: (old: string) => string;
  remark?: string;
}

const asIs = (key: string): string => key;

/** `AppId|SecretId|SecretKey` of the old Tencent API; today's has no AppId. */
const withoutAppId = (key: string): string => key.split('|').slice(-2).join('|');

/** The parts of a channel that its type needs, from the columns of its program. `type` is the old number. */
export function rebuild(program: Program, type: number, row: OldRow): Rebuilt {
  const other = textIn(row, 'other');
  if (program === 'one-api') return ofOneApi(type, objectIn(row, 'config'), other);
  if (program === 'new-api') return ofNewApi(type, objectIn(row, 'settings'), row);
  return { other, key: asIs };
}

function ofOneApi(type: number, config: Record<string, unknown>, other: string): Rebuilt {
  const part = (name: string): string => (typeof config[name] === 'string' ? config[name] : '');
  switch (type) {
    case 3:
    case 18:
    case 24:
      return { other: part('api_version') || other, key: asIs };
    case 17:
      return { other: part('plugin') || other, key: asIs };
    case 33:
      return {
        other: '',
        key: (old) => {
          const [ak = '', sk = '', region = ''] = old.split('|');
          return [part('region') || region, part('ak') || ak, part('sk') || sk].join('|');
        },
      };
    case 23:
      return { other, key: withoutAppId };
    case 34:
      return { other: part('user_id') || other, key: asIs };
    case 37:
      return { other: '', key: (old) => `${part('user_id')}|${old}` };
    case 42:
      return {
        other: `${part('region')}|${part('vertex_ai_project_id')}`,
        key: (old) => oneLineJson(part('vertex_ai_adc') || old.split('|').slice(2).join('|')),
      };
    case 51:
      return { other: '', key: asIs };
    default:
      return { other, key: asIs };
  }
}

function ofNewApi(type: number, settings: Record<string, unknown>, row: OldRow): Rebuilt {
  const other = textIn(row, 'other');
  switch (type) {
    case 23:
      return { other, key: withoutAppId };
    case 33:
      return {
        other: '',
        // Theirs ends with the region, ours begins with it.
        key: (old) => {
          const parts = old.split('|');
          return [parts.at(-1) ?? '', ...parts.slice(0, -1)].join('|');
        },
      };
    case 39:
      return { other: '', key: (old) => `${other}|${old}` };
    case 41: {
      const regions = parseJson(other);
      const fallback = isObject(regions) ? regions['default'] : other;
      const region = typeof fallback === 'string' && fallback !== '' ? fallback : 'global';
      const project = projectIn(textIn(row, 'key'));
      const isPlainKey = settings['vertex_key_type'] === 'api_key';
      return {
        other: `${region}|${project}`,
        key: isPlainKey ? asIs : oneLineJson,
        ...(isObject(regions) && { remark: `regions by model; all use ${region} now` }),
      };
    }
    case 44:
    case 46:
      return { other: '', key: (old) => (type === 46 ? (old.split('|')[0] ?? '') : old) };
    default:
      return { other, key: asIs };
  }
}

function projectIn(key: string): string {
  const [, project = ''] = /"project_id"\s*:\s*"([^"]+)"/.exec(key) ?? [];
  return project;
}

/** JSON keys are stored on one line. */
function oneLineJson(text: string): string {
  const parsed = parseJson(text);
  return isObject(parsed) ? JSON.stringify(parsed) : text;
}

export interface OldKey {
  key: string;
  /** Status of a channel: 1 on, 2 switched off by hand, 3 by the program. */
  status: number;
  reason: string;
}

/** The keys of a channel with their state. New-api can have several; their state counts from before empty lines go. */
export function keysOf(row: OldRow, write: Rebuilt['key']): OldKey[] {
  const text = textIn(row, 'key').trim();
  const info = objectIn(row, 'channel_info');
  const isSeveral = info['is_multi_key'] === true || info['is_multi_key'] === 1;
  if (!isSeveral) return [{ key: write(text), status: 1, reason: '' }];
  const states = isObject(info['multi_key_status_list']) ? info['multi_key_status_list'] : {};
  const reasons = isObject(info['multi_key_disabled_reason']) ? info['multi_key_disabled_reason'] : {};
  const parsed = text.startsWith('[') ? parseJson(text) : undefined;
  const parts = Array.isArray(parsed)
    ? parsed.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
    : text.split('\n');
  const found = parts.map((part, i) => {
    const status = Number(states[String(i)] ?? 1);
    const reason = reasons[String(i)];
    return {
      key: part.trim() === '' ? '' : write(part.trim()),
      status: status === 2 || status === 3 ? status : 1,
      reason: typeof reason === 'string' ? reason.slice(0, 200) : '',
    };
  });
  const seen = new Set<string>();
  return found.filter(({ key }) => key !== '' && !seen.has(key) && seen.add(key));
}

/** A mapping of models in one step: new-api follows chains. `lost` are cycles. */
export function mappingOf(program: Program, text: string): { mapping: Record<string, string>; lost: string[] } {
  const given = parseTextMap(text) ?? {};
  const isChained = program === 'new-api';
  const after = (name: string): string | undefined => (isChained ? given[name] : undefined);
  const mapping: Record<string, string> = {};
  const lost: string[] = [];
  for (const [from, first] of Object.entries(given)) {
    let target = first;
    const seen = new Set([from]);
    for (let next = after(target); next !== undefined && !seen.has(target); next = after(target)) {
      seen.add(target);
      target = next;
    }
    if (isChained && seen.has(target) && target !== from) lost.push(from);
    else if (target !== from) mapping[from] = target;
    else if (first !== from) lost.push(from);
  }
  return { mapping, lost };
}
