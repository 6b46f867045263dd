import { spawnSync } from 'node:child_process';
import { root, say } from '../lib/run.ts';

/** Fails on a known vulnerability, high or critical, in a package of the product. Registries without advisories pass. */
const args = ['audit', '--omit=dev', '--audit-level=high', '--json'];
const { stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
interface Report {
  vulnerabilities?: Record<string, { severity: string; via: (string | { title?: string; url?: string })[] }>;
}
let report: Report;
try {
  report = JSON.parse(stdout) as Report; // npm's format
} catch {
  report = {};
}
const serious = Object.entries(report.vulnerabilities ?? {}).filter(([, { severity }]) =>
  /^(high|critical)$/.test(severity),
);
for (const [name, { severity, via }] of serious)
  say(
    `${name} (${severity}): ${via.map((each) => (typeof each === 'string' ? each : `${each.title} ${each.url}`)).join('; ')}`,
  );
if (!report.vulnerabilities) say('advisories not checked: the registry does not serve them, or is not reachable');
process.exitCode = serious.length === 0 ? 0 : 1;
