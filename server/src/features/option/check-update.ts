import type { UpdateCheck } from '@relay-hub/contract';
import * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { productVersion } from '#version.ts';
import { compareVersions } from './compare-versions.ts';

const SHOWN = 20;

const tag = z.string().check(z.minLength(1), z.maxLength(100));

/** A release in the format of code hosts, with the fields that are read here. */
const hosted = z.object({
  tag_name: tag,
  published_at: z.nullish(z.string()),
  body: z.nullish(z.string()),
  html_url: z.nullish(z.string()),
});

/** The short form, for a file that an operator writes. */
const written = z.pipe(
  z.object({ version: tag, url: z.nullish(z.string()) }),
  z.transform(({ version, url }): z.infer<typeof hosted> => ({ tag_name: version, html_url: url })),
);

const release = z.union([hosted, written]);

/** Lists the versions at the configured source, newest first. Throws `outbound.*` and `option.update_format`. */
export async function checkUpdate({ live, config }: Pick<Deps, 'config' | 'live'>): Promise<UpdateCheck> {
  const source = live.settings.UpdateSource;
  if (source === '') return { running: productVersion, source, releases: [] };
  const { body } = await fetchGuarded(source, {
    reach: operatorReach({ config, live }),
    maxBytes: 2 * 1024 * 1024,
    timeoutMs: 10_000,
    accept: 'application/json',
    field: 'UpdateSource',
  });
  return { running: productVersion, source, releases: releasesIn(body.toString('utf8')) };
}

function releasesIn(text: string): UpdateCheck['releases'] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AppError('option.update_format', { field: 'UpdateSource' });
  }
  const parsed = z.array(release).safeParse(Array.isArray(json) ? json : [json]);
  if (!parsed.success) throw new AppError('option.update_format', { field: 'UpdateSource' });
  return parsed.data
    .toSorted((a, b) => compareVersions(b.tag_name, a.tag_name))
    .slice(0, SHOWN)
    .map(({ tag_name, published_at, body, html_url }) => ({
      version: tag_name,
      published_at: published_at ?? '',
      notes: (body ?? '').slice(0, 20_000),
      address: html_url && /^https?:\/\//.test(html_url) ? html_url : '',
      newer: compareVersions(tag_name, productVersion) > 0,
    }));
}
