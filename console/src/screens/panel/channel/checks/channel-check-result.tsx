import { checkStatus, type CheckedModel } from '@relay-hub/contract';
import { ChevronDown } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Status, type StatusKind } from '#ui/feedback/status.tsx';
import { sumOf } from './use-channel-check.ts';

type Result = CheckedModel['process'][number]['results'][number];

const looks = {
  [checkStatus.failed]: ['failed', 'check.state.failed'],
  [checkStatus.passed]: ['answered', 'check.state.passed'],
  [checkStatus.unknown]: ['unknown', 'check.state.unknown'],
} as const satisfies Record<number, readonly [StatusKind, string]>;

const names = [
  'answer',
  'usage',
  'model',
  'id',
  'refused',
  'relays',
  'seen',
  'fetched',
  'address',
  'schema',
  'called',
  'both',
  'chat',
] as const;

/** Result of a model's check; expands to every test with the upstream's reply. */
export function CheckedDetails({ checked }: { checked: CheckedModel }) {
  const { t } = useTranslation('channelBulk');
  return (
    <details className="group mb-2 ml-7 rounded-control border border-line">
      <summary className="flex min-h-11 cursor-pointer items-center gap-2 px-3 text-13">
        <Sum checked={checked} />
        <Icon of={ChevronDown} className="ml-auto text-text2 transition-transform group-open:rotate-180" />
      </summary>
      <div className="grid grid-cols-1 gap-4 border-t border-line px-3 py-3">
        {checked.process.map(({ name, results, response }) => (
          <section key={name}>
            <h3 className="font-title text-13">{t(`check.process.${name}`)}</h3>
            <ul className="mt-1 grid grid-cols-1 gap-1">
              {results.map((result, at) => (
                <ResultLine key={at} result={result} />
              ))}
            </ul>
            {response && (
              <details className="mt-1 text-12">
                <summary className="cursor-pointer py-1 text-text2">{t('check.answer')}</summary>
                <CodeBlock
                  code={JSON.stringify(response, null, 2)}
                  label={t('check.answerOf', { name: t(`check.process.${name}`) })}
                />
              </details>
            )}
          </section>
        ))}
      </div>
    </details>
  );
}

function Sum({ checked }: { checked: CheckedModel }) {
  const { t } = useTranslation('channelBulk');
  const { failed, passed } = sumOf(checked);
  if (failed > 0) return <Status kind="failed" text={t('check.failedSome', { count: failed })} />;
  return passed > 0 ? (
    <Status kind="answered" text={t('check.passedAll')} />
  ) : (
    <Status kind="unknown" text={t('check.unsure')} />
  );
}

function ResultLine({ result: { name, status, remark } }: { result: Result }) {
  const { t } = useTranslation('channelBulk');
  const known = names.find((each) => each === name);
  const [kind, word] = looks[status as keyof typeof looks] ?? looks[checkStatus.unknown];
  return (
    <li className="flex flex-wrap items-start gap-x-3 text-13">
      <span className="min-w-0 flex-1 basis-40">
        {known ? t(`check.result.${known}`) : name}
        {remark !== '' && <span className="block text-12 break-words text-text2">{remark}</span>}
      </span>
      <Status kind={kind} text={t(word)} />
    </li>
  );
}
