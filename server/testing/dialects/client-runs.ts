import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type AgentVendor, agentVendors, vendorNames } from '#testing/agents/agent-vendors.ts';

/** Results of `npm run clients`. */
export interface ClientRuns {
  /** Day of the last run. */
  date: string;
  clients: Record<
    string,
    { version: string; channels: Partial<Record<AgentVendor, { passed: string[]; failed: string[] }>> }
  >;
}

/** From the root of the repository. */
export const clientRunsFile = 'server/testing/dialects/client-runs.json';

/** The table of the last run, in Markdown. */
export function clientTable(): string {
  const file = fileURLToPath(new URL('client-runs.json', import.meta.url));
  const { date, clients } = JSON.parse(readFileSync(file, 'utf8')) as ClientRuns;
  const rows = Object.entries(clients).map(([client, { version, channels }]) => {
    const cells = vendorNames.map((vendor) => {
      const { passed, failed } = channels[vendor] ?? { passed: [], failed: [] };
      return [...passed, ...failed.map((check) => `**not ${check}**`)].join(', ');
    });
    return `| ${[`${client} ${version}`, ...cells].join(' | ')} |`;
  });
  return `| client | ${vendorNames.map((vendor) => agentVendors[vendor].title).join(' | ')} |
|---|${'---|'.repeat(vendorNames.length)}
${rows.join('\n')}

Run on ${date}.`;
}
