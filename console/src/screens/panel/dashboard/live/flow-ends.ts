import type { Cockpit, LiveChannel } from '@relay-hub/contract';
import type { FlowEnd } from './flow-shape.ts';

/** Callers or models, at the left side. */
export const flowSides = ['users', 'models'] as const;
export type FlowSide = (typeof flowSides)[number];

/** One caller, model or channel of the flow. */
export interface NamedEnd extends FlowEnd {
  key: string;
  name: string;
  /** Search of the log that lists its calls; undefined: the sum of several. */
  search: { username?: string; model_name?: string; channel_id?: number } | undefined;
  /** Number of ends that this one sums up. */
  others?: number;
  token?: string;
  tokens?: number;
  channel?: LiveChannel;
  /** Of `others`: channels that are failing, slow or frozen. */
  troubled?: number;
}

/** Class of frozen parts outside of SVG. */
export const hatched = 'bg-[repeating-linear-gradient(45deg,var(--color-ice-g)_0_3px,var(--color-ice-soft)_3px_6px)]';

/** The left side: who calls, or which models. */
export function callersOf(state: Cockpit, side: FlowSide): NamedEnd[] {
  const ends: NamedEnd[] =
    side === 'users'
      ? state.users.map(({ id, name, token, tokens, calls: size, refused, failed }) => ({
          key: `u${id}`,
          name,
          token,
          tokens,
          size,
          refused,
          failed,
          search: { username: name },
        }))
      : state.models.map(({ name, calls: size, refused, failed }) => ({
          key: `m${name}`,
          name,
          size,
          refused,
          failed,
          search: { model_name: name },
        }));
  const { count, calls: size, refused, failed } = side === 'users' ? state.other_users : state.other_models;
  return withOthers(ends, { size, refused, failed }, count);
}

const looks = { well: undefined, failing: undefined, slow: 'slow', frozen: 'frozen' } as const;

/** The right side: the channels. */
export function channelsOf({ channels, other_channels: others }: Cockpit): NamedEnd[] {
  const ends = channels.map((channel): NamedEnd => {
    const { id, name, attempts: size, failed, state } = channel;
    const search = { channel_id: id };
    return { key: `c${id}`, name, size, refused: 0, failed, look: looks[state], search, channel };
  });
  const rest = { size: others.attempts, refused: 0, failed: others.failed, troubled: others.troubled };
  return withOthers(ends, rest, others.count);
}

const withOthers = (ends: NamedEnd[], rest: FlowEnd & Pick<NamedEnd, 'troubled'>, others: number): NamedEnd[] =>
  rest.size === 0 ? ends : [...ends, { ...rest, key: 'others', name: '', search: undefined, others }];
