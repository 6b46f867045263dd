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

/** Checks that fail by the client's own fault, at its vendor too. */
export const ownFaults: readonly { client: string; vendor: AgentVendor; check: string; reason: string }[] = [
  {
    client: 'Gemini CLI',
    vendor: 'gemini',
    check: 'resume',
    reason: 'it sends the result of a call twice, which Gemini refuses',
  },
];

/** From the root of the repository. */
export const clientRunsFile = 'testing/dialects/client-runs.json';

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

Run on ${date}. Empty cells: the client takes only names of OpenAI's models.${ownFaults
    .map(({ client, vendor, check, reason }) => ` ${client}, ${check} at ${agentVendors[vendor].title}: ${reason}.`)
    .join('')}`;
}
