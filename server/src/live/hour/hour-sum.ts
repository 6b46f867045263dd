import { addTimes, type FirstTokenTimes, noTimes } from './first-token-times.ts';
import type { ChannelTally, Minute, Tally, CallTrouble } from './minute.ts';

/** A user's calls, with those of each token. */
export interface UserSum extends Tally {
  name: string;
  tokens: Map<number, { name: string; calls: number }>;
}

/** Equal troubles of the hour; the facts are those of the last one. */
export interface TroubleSum extends CallTrouble {
  /** Users whose calls they were. */
  users: Set<number>;
}

/** Sums over minutes of several nodes. */
export class HourSum {
  readonly sums = { calls: 0, refused: 0, failed: 0, attempts: 0, failedAttempts: 0, retries: 0, unsent: 0, quota: 0 };
  readonly times: FirstTokenTimes = noTimes();
  /** By id; 0: users of tokens beyond the limit of a minute. */
  readonly users = new Map<number, UserSum>();
  readonly models = new Map<string, Tally>();
  readonly channels = new Map<number, ChannelTally>();
  readonly troubles = new Map<string, TroubleSum>();

  add({ sums, times, callers, models, channels, troubles }: Minute): void {
    addSums(this.sums, sums);
    addTimes(this.times, times);
    for (const [tokenId, { userId, username, tokenName, ...tally }] of callers) {
      const user = entry(this.users, userId, () => ({ ...noTally(), name: username, tokens: new Map() }));
      addTally(user, tally);
      const token = entry(user.tokens, tokenId, () => ({ name: tokenName, calls: 0 }));
      token.calls += tally.calls;
    }
    for (const [name, tally] of models) addTally(entry(this.models, name, noTally), tally);
    for (const [id, tally] of channels) addChannel(entry(this.channels, id, noChannel), tally);
    for (const trouble of troubles.values()) this.#addTrouble(trouble, [trouble.userId]);
  }

  /** A copy that can be added to. */
  copy(): HourSum {
    const copy = new HourSum();
    addSums(copy.sums, this.sums);
    addTimes(copy.times, this.times);
    for (const [id, user] of this.users) {
      const tokens = new Map([...user.tokens].map(([token, sum]) => [token, { ...sum }]));
      copy.users.set(id, { ...user, tokens });
    }
    for (const [name, tally] of this.models) copy.models.set(name, { ...tally });
    for (const [id, tally] of this.channels) addChannel(entry(copy.channels, id, noChannel), tally);
    for (const trouble of this.troubles.values()) copy.#addTrouble(trouble, trouble.users);
    return copy;
  }

  /** The same trouble of several tokens is one line, with the number of users. */
  #addTrouble(trouble: CallTrouble, users: Iterable<number>): void {
    const key = `${trouble.kind} ${trouble.status} ${trouble.reason} ${trouble.channelId}${
      trouble.kind === 'refused' ? ` ${trouble.userId}` : ''
    }`;
    const known = this.troubles.get(key);
    if (!known) return void this.troubles.set(key, { ...trouble, users: new Set(users) });
    const count = known.count + trouble.count;
    const all = new Set([...known.users, ...users]);
    Object.assign(known, trouble.time >= known.time ? trouble : {}, { count, users: all });
  }
}

const noTally = (): Tally => ({ calls: 0, refused: 0, failed: 0 });

const noChannel = (): ChannelTally => ({ attempts: 0, failed: 0, kinds: new Map(), times: undefined });

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

type Sums = HourSum['sums'];

function addSums(into: Sums, more: Sums): void {
  into.calls += more.calls;
  into.refused += more.refused;
  into.failed += more.failed;
  into.attempts += more.attempts;
  into.failedAttempts += more.failedAttempts;
  into.retries += more.retries;
  into.unsent += more.unsent;
  into.quota += more.quota;
}

function addTally(into: Tally, more: Tally): void {
  into.calls += more.calls;
  into.refused += more.refused;
  into.failed += more.failed;
}

function addChannel(into: ChannelTally, more: ChannelTally): void {
  into.attempts += more.attempts;
  into.failed += more.failed;
  for (const [kind, count] of more.kinds) into.kinds.set(kind, (into.kinds.get(kind) ?? 0) + count);
  if (more.times) addTimes((into.times ??= noTimes()), more.times);
}
