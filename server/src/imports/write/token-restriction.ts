import type { TokenRestriction } from '#imports/read/read-tokens.ts';
import type { Report } from '../report.ts';

/** The only place that knows what becomes of a token's restriction. It is stored with the import record. */
export function keepRestriction(report: Report, label: string, { models, addresses }: TokenRestriction): void {
  const parts = [
    ...(models.length > 0 ? [`models ${models.join(', ')}`] : []),
    ...(addresses.length > 0 ? [`addresses ${addresses.join(', ')}`] : []),
  ];
  report.remark('restriction', `${label}: ${parts.join('; ').slice(0, 200)}`);
}
