import { History } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { Time } from '#ui/format/time.tsx';
import { useServerAddress } from '#api/site.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import type { Options } from './setting-api.ts';
import type { GroupName, SettingGroup } from './setting-groups.ts';
import { SettingRow } from './setting-row.tsx';
import type { Drafts } from './use-drafts.ts';

const intros = {
  oidc: lazy(async () => ({ default: (await import('./oidc/oidc-presets.tsx')).OidcPresets })),
};

const extras = {
  backup: lazy(async () => ({ default: (await import('./backup/backup-list.tsx')).BackupList })),
  cleanup: lazy(async () => ({ default: (await import('./log-cleanup.tsx')).LogCleanup })),
  replies: lazy(async () => ({ default: (await import('./reply-cache.tsx')).ReplyCache })),
  mail: lazy(async () => ({ default: (await import('./mail-test.tsx')).MailTest })),
  oidc: lazy(async () => ({ default: (await import('./oidc/oidc-check.tsx')).OidcCheck })),
  scim: lazy(async () => ({ default: (await import('./scim-connections.tsx')).ScimConnections })),
  usage: lazy(async () => ({ default: (await import('./usage-exports.tsx')).UsageExports })),
  update: lazy(async () => ({ default: (await import('./update-check.tsx')).UpdateCheck })),
};

interface Props {
  group: SettingGroup;
  options: Options;
  drafts: Drafts;
  /** Shows some settings that a search found, without the group's extra parts. */
  searched: boolean;
  onHistory: (group: GroupName) => void;
}

export function SettingSection({
  group: { id, fields, intro, extra, callback },
  options,
  drafts,
  searched,
  onHistory,
}: Props) {
  const { t } = useTranslation('setting');
  const title = t(`groups.${id}`);
  const Intro = intro && intros[intro];
  const Extra = extra && extras[extra];
  const last = fields
    .map(({ key }) => options.get(key))
    .reduce((a, b) => ((b?.changed_time ?? 0) > (a?.changed_time ?? 0) ? b : a), undefined);
  return (
    <section aria-labelledby={`heading-${id}`} id={`group-${id}`} className="scroll-mt-19">
      <div className="mb-1 flex min-h-7 items-center gap-2">
        <h2 id={`heading-${id}`} className="text-14">
          {title}
        </h2>
        {last && last.changed_time > 0 && (
          <span className="ml-auto flex items-center gap-1 text-12 text-text3">
            <span className="max-sm:hidden">
              {t('lastChange', { name: last.changed_by || t('someone') })} <Time at={last.changed_time} as="relative" />
            </span>
            <IconButton
              label={t('historyOf', { name: title })}
              icon={History}
              size="sm"
              iconSize={14}
              onClick={() => onHistory(id)}
            />
          </span>
        )}
      </div>
      <Card>
        {callback && !searched && <CallbackNote path={callback} />}
        {Intro && !searched && (
          <Suspense fallback={<div className="h-15" />}>
            <Intro drafts={drafts} />
          </Suspense>
        )}
        {fields.map((field) => {
          const option = options.get(field.key);
          return (
            option && (
              <SettingRow
                key={field.key}
                field={field}
                option={option}
                draft={drafts.values[field.key]}
                problem={drafts.problems[field.key]}
                onChange={(text) => drafts.change(field, text)}
              />
            )
          );
        })}
        {Extra && !searched && (
          <Suspense fallback={<div className="h-24" />}>
            <Extra dirty={fields.some(({ key }) => key in drafts.values)} {...{ options, drafts }} />
          </Suspense>
        )}
      </Card>
    </section>
  );
}

/** The callback address to register with the provider. */
function CallbackNote({ path }: { path: string }) {
  const { t } = useTranslation('setting');
  const whole = useServerAddress() + path;
  return (
    <div className="flex flex-wrap items-center gap-x-2 border-b border-line bg-sunk px-5 py-2 text-13 text-text2 first:rounded-t-card max-sm:px-4">
      <span>{t('callbackText')}</span>
      <code className="min-w-0 font-mono text-12 break-all text-text">{whole}</code>
      <CopyButton text={whole} name={t('callback')} />
    </div>
  );
}
