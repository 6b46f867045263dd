import type { Siblings } from '#process/siblings.ts';
import type { ChannelHealth } from './channel-health.ts';
import type { HostHealth } from './host-health.ts';

interface Healths {
  health: ChannelHealth;
  keyHealth: ChannelHealth;
  hosts: HostHealth;
}

/** Methods that change health. `forget` of a host is a success, and has secrets in its argument. */
const observed = {
  health: ['failed', 'succeeded', 'probed', 'forget'],
  keyHealth: ['failed', 'succeeded', 'probed', 'forget'],
  hosts: ['failed', 'succeeded', 'probed'],
} as const;

type Observation = [name: keyof Healths, method: string, ...args: unknown[]];

/** Has the workers of a node observe the same failures and successes, as one process would. */
export function mirrorHealth(healths: Healths, siblings: Pick<Siblings, 'share' | 'hear'>): void {
  const apply = new Map<string, (...args: unknown[]) => unknown>();
  for (const name of ['health', 'keyHealth', 'hosts'] as const) {
    const health = healths[name];
    for (const method of observed[name]) {
      // The arguments are those that the same method got in another worker.
      const own = (Reflect.get(health, method) as (...args: unknown[]) => unknown).bind(health);
      apply.set(`${name} ${method}`, own);
      Reflect.set(health, method, (...args: unknown[]) => {
        // Successes of channels without failures change nothing, and are many.
        if (method !== 'succeeded' || !health.untroubled) siblings.share('health', [name, method, ...args]);
        return own(...args);
      });
    }
  }
  siblings.hear('health', ([name, method, ...args]: Observation) => apply.get(`${name} ${method}`)?.(...args));
}
