import { useTranslation } from '#i18n/use-translation.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Mark } from '#ui/basic/mark.tsx';
import { snippetWith } from './recipe-step.tsx';
import type { ConnectFacts, ToolDialect, Tool } from './tools/tool.ts';

const dialects: readonly { dialect: ToolDialect; mark: string; path: string }[] = [
  { dialect: 'openai', mark: 'openai', path: '/v1' },
  { dialect: 'anthropic', mark: 'anthropic', path: '/claude' },
  { dialect: 'gemini', mark: 'gemini', path: '/gemini' },
];

interface Props {
  tool: Tool;
  /** The chosen snippet, which can speak another dialect than the tool's first one. */
  label: string;
  facts: ConnectFacts;
}

/** The base URL of each dialect; that of the tool is marked and has the form that the tool expects. */
export function DialectAddresses({ tool, label, facts }: Props) {
  const { t } = useTranslation('connect');
  const used = dialectOf(tool, label, facts);
  return (
    <section aria-label={t('addresses')}>
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="text-14 font-title">{t('addresses')}</h3>
        <span className="text-12 text-text3">{t('sameKey')}</span>
      </div>
      <ul className="divide-y divide-line overflow-hidden rounded-control border border-line text-13">
        {dialects.map(({ dialect, mark, path }) => {
          const own = dialect === used;
          const address = facts.hub + (own && dialect === tool.dialect ? tool.address : path);
          return (
            <li
              key={dialect}
              className={cx('flex min-h-10 items-center gap-3 py-1 pr-2 pl-3.5', own && 'bg-accent-soft')}
            >
              <Mark name={t(`dialects.${dialect}`)} mark={mark} size={20} />
              <div className="grid min-w-0 flex-1 gap-x-3 sm:grid-cols-[150px_minmax(0,1fr)_auto] sm:items-center">
                <span className={cx(own ? 'font-title' : 'text-text2')}>{t(`dialects.${dialect}`)}</span>
                <span className="min-w-0 truncate font-mono text-[12.5px]">{address}</span>
                {own && <span className="text-12 text-accent">{t('used', { tool: tool.name })}</span>}
              </div>
              <CopyButton text={address} name={t(`dialects.${dialect}`)} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The dialect of the shown snippet, by the address in it. */
function dialectOf({ steps, dialect }: Tool, label: string, facts: ConnectFacts): ToolDialect {
  const snippets = steps.flatMap((step) => (step.kind === 'code' ? step.snippets : []));
  const text = snippetWith(snippets, label)?.text(facts);
  if (text?.includes(`${facts.hub}/claude`)) return 'anthropic';
  return text?.includes(`${facts.hub}/gemini`) ? 'gemini' : dialect;
}
