/** What a page asks the API before it is complete, by who opens it. */
export type FirstCalls = Record<'guest' | 'user' | 'admin', string[]>;

const everywhere = ['/api/status', '/api/notice'];
const panel = ['/api/user/self', ...everywhere];

/** To the letter as the screen asks; e2e/light-and-quick.spec.ts fails when one is not taken up. */
const more: Record<string, { user?: string[]; admin?: string[] }> = {
  '/panel/channel': {
    admin: [
      '/api/channel/?page=1&size=30&order=trouble&status=0&type=0&trouble=0',
      '/api/channel/types',
      '/api/channel/health',
      '/api/channel/jobs',
    ],
  },
  '/panel/dashboard': {
    user: ['/api/available_model'],
    admin: ['/api/available_model', '/api/channel/health'],
  },
  '/panel/log': {
    admin: [
      '/api/log/?page=1&size=30&order=-created_at&log_type=0&failed=0&stream=0&refused=1&status=0&start_timestamp=0&end_timestamp=0&channel_id=0',
    ],
  },
};

/** What the page at an address asks, as far as it asks the same whenever it is opened. */
export function callsOf(address: string): FirstCalls {
  const own = more[address === '/panel' ? '/panel/dashboard' : address] ?? {};
  const shared = address.startsWith('/panel') ? panel : everywhere;
  return { guest: shared, user: [...shared, ...(own.user ?? [])], admin: [...shared, ...(own.admin ?? [])] };
}
