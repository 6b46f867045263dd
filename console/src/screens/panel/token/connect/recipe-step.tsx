import { useTranslation } from '#i18n/use-translation.ts';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import type { ConnectFacts, Snippet, Step } from './tools/tool.ts';

interface Props {
  step: Step;
  /** Undefined for the only step. */
  number: number | undefined;
  /** The chosen snippet, by its label; steps share it. */
  label: string;
  onLabel: (label: string) => void;
  shown: ConnectFacts;
  /** The facts to copy, with the full key if it is included. */
  copied: () => Promise<ConnectFacts>;
  /** Has the main button of the page. */
  main: boolean;
}

/** The snippet with a label, or the first. */
export const snippetWith = (snippets: readonly Snippet[], label: string): Snippet | undefined =>
  snippets.find((each) => each.label === label) ?? snippets[0];

/** One step of a recipe: commands, a file, code, or the fields of a form. */
export function RecipeStep(props: Props) {
  const { step, number, label, onLabel, shown, copied, main } = props;
  const { t } = useTranslation('connect');
  const words =
    step.kind === 'file'
      ? t('steps.file', { path: step.path })
      : step.kind === 'fields'
        ? t('steps.fields', { where: step.where })
        : t(`steps.${step.kind}`);
  const title = number === undefined ? words : t('numbered', { number, title: words });
  const snippets =
    step.kind === 'file' ? [{ label: '', text: step.text }] : step.kind === 'fields' ? [] : step.snippets;
  const snippet = snippetWith(snippets, label);
  const tabs = snippets.length > 1 ? snippets : [];
  const code = snippet?.text(shown) ?? '';
  const copy = async () => snippet?.text(await copied()) ?? '';
  return (
    <section aria-label={title} className="min-w-0">
      <div className="mb-2 flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h3 className="min-w-0 text-14 font-title break-words">{title}</h3>
        {tabs.length > 0 && snippet && (
          <Segmented
            label={t('variant')}
            value={snippet.label}
            options={tabs.map((each) => ({ value: each.label, label: each.label }))}
            onChange={onLabel}
          />
        )}
      </div>
      {step.kind === 'fields' ? (
        <FieldRows step={step} shown={shown} copied={copied} />
      ) : (
        <>
          <CodeBlock code={code} label={title} copy={copy} />
          {main && (
            <div className="mt-2.5 flex justify-end">
              <CopyButton text={copy} name={title} variant="primary" size="md" className="max-sm:w-full">
                {t('copyLines', { count: code.split('\n').length })}
              </CopyButton>
            </div>
          )}
        </>
      )}
    </section>
  );
}

interface RowsProps {
  step: Extract<Step, { kind: 'fields' }>;
  shown: ConnectFacts;
  copied: () => Promise<ConnectFacts>;
}

function FieldRows({ step, shown, copied }: RowsProps) {
  return (
    <ul className="divide-y divide-line rounded-control border border-line">
      {step.fields.map(([name, text]) => (
        <li key={name} className="flex min-h-11 items-center gap-3 py-1 pr-2 pl-3.5 text-13">
          <div className="grid min-w-0 flex-1 gap-x-3 sm:grid-cols-[190px_minmax(0,1fr)] sm:items-center">
            <span className="min-w-0 break-words text-text2">{name}</span>
            <span className="min-w-0 truncate font-mono text-[12.5px]">{text(shown)}</span>
          </div>
          <CopyButton text={async () => text(await copied())} name={name} />
        </li>
      ))}
    </ul>
  );
}
