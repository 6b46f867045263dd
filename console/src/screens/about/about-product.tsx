import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { consoleVersion, useServerAddress, useSite, useSiteName } from '#api/site.ts';
import { atBase } from '#base-path.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Mark } from '#ui/basic/mark.tsx';
import { formatDateTime } from '#ui/format/time.ts';

const formats = [
  { name: 'OpenAI', mark: 'openai', path: '/v1' },
  { name: 'Anthropic', mark: 'anthropic', path: '/claude' },
  { name: 'Gemini', mark: 'gemini', path: '/gemini' },
];

const entry = 'flex min-h-12 items-center justify-between gap-3 text-accent hover:underline';

export function AboutProduct() {
  const { t } = useTranslation('about');
  const name = useSiteName();
  const address = useServerAddress();
  const site = useSite();
  const { isRoot } = useSession();
  return (
    <>
      <p className="max-w-[68ch] text-text2">{t('what', { name })}</p>
      <div className="mt-6 grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <Card title={t('formatsTitle')} text={t('formatsText')}>
          <ul>
            {formats.map(({ name: format, mark, path }) => (
              <li key={format} className="flex min-h-12 items-center gap-3 border-line not-last:border-b">
                <Mark name={format} mark={mark} />
                <span className="w-24 flex-none">{format}</span>
                <code className="min-w-0 flex-1 truncate font-mono text-13 text-text2">{address + path}</code>
                <CopyButton text={address + path} name={format} variant="ghost" size="sm" />
              </li>
            ))}
          </ul>
        </Card>
        <div className="grid grid-cols-1 gap-4">
          <Card title={t('pagesTitle')}>
            <ul className="*:border-line *:not-last:border-b">
              <li>
                <Link to="/price" className={entry}>
                  {t('prices')}
                  <Icon of={ChevronRight} />
                </Link>
              </li>
              {site?.status_page && (
                <li>
                  <Link to="/status" className={entry}>
                    {t('status')}
                    <Icon of={ChevronRight} />
                  </Link>
                </li>
              )}
              <li>
                <a href={atBase('/api/docs')} className={entry}>
                  {t('reference')}
                  <Icon of={ChevronRight} />
                </a>
              </li>
            </ul>
          </Card>
          <dl className="rounded-card border border-line bg-card px-4 text-14">
            <Fact name={t('versionTitle')}>{site?.version || consoleVersion}</Fact>
            {site && <Fact name={t('startedTitle')}>{formatDateTime(site.start_time)}</Fact>}
            <Fact name={t('sourceTitle')}>
              <a
                href="https://github.com/MartialBE/one-hub"
                target="_blank"
                rel="noopener noreferrer"
                className="text-accent hover:underline"
              >
                github.com/MartialBE/one-hub
              </a>
            </Fact>
          </dl>
        </div>
      </div>
      {isRoot && <p className="mt-4 text-13 text-text3">{t('how')}</p>}
    </>
  );
}

function Card({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <section className="rounded-card border border-line bg-card px-4 pt-3.5 pb-1 text-14">
      <h2 className="text-16">{title}</h2>
      {text && <p className="mt-1 mb-1.5 text-13 text-text2">{text}</p>}
      {children}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-6 border-line py-1 not-last:border-b">
      <dt className="text-text2">{name}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}
