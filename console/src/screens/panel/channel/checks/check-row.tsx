import { channelChecks, checkStatus, type CheckedModel } from '@relay-hub/contract';
import { Check, CircleHelp, X, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ModelName } from '#domain/model/model-name.tsx';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { Status, type StatusKind } from '#ui/feedback/status.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { verdictOf, type CheckName, type CheckProcess, type Verdict } from './check-verdict.ts';

type Result = CheckProcess['results'][number];

const cells: Record<Verdict, readonly [LucideIcon, string]> = {
  passed: [Check, 'text-ok'],
  failed: [X, 'text-bad'],
  unknown: [CircleHelp, 'text-text2'],
};

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

interface Props {
  model: string;
  chosen: boolean;
  checked: CheckedModel | undefined;
  /** Its check has not ended. */
  waiting: boolean;
  disabled: boolean;
  onChoose: (on: boolean) => void;
}

/** A model with the verdict of each check; a verdict opens its results and the upstream's reply below. */
export function CheckRow({ model, chosen, checked, waiting, disabled, onChoose }: Props) {
  const { t } = useTranslation('channelBulk');
  const [open, setOpen] = useState<CheckName>();
  const opened = checked?.process.find((process) => process.name === open);
  const phone = useIsPhone();
  const name = phone ? <MiddleCut text={model} tail={6} /> : <ModelName model={model} copies={false} />;
  return (
    <>
      <tr className="[&>td]:border-t [&>td]:border-line">
        <td className="h-11 min-w-0 pr-2">
          <label className="flex cursor-pointer items-center gap-2.5 text-13">
            <Checkbox checked={chosen} disabled={disabled} onChange={onChoose} />
            <span className="min-w-0 flex-1">{name}</span>
          </label>
        </td>
        {waiting ? (
          <td colSpan={channelChecks.length} className="text-center text-13 text-text2">
            {t('check.waiting')}
          </td>
        ) : (
          channelChecks.map((check) => (
            <td key={check} className="text-center">
              <Cell
                model={model}
                process={checked?.process.find((process) => process.name === check)}
                open={open === check}
                onOpen={() => setOpen(open === check ? undefined : check)}
              />
            </td>
          ))
        )}
      </tr>
      {opened && (
        <tr>
          <td colSpan={channelChecks.length + 1} className="pb-3">
            <Details process={opened} />
          </td>
        </tr>
      )}
    </>
  );
}

interface CellProps {
  model: string;
  process: CheckProcess | undefined;
  open: boolean;
  onOpen: () => void;
}

function Cell({ model, process, open, onOpen }: CellProps) {
  const { t } = useTranslation('channelBulk');
  const reason = useReason();
  if (!process) return <span className="text-text3">–</span>;
  const verdict = verdictOf(process);
  const [icon, tone] = cells[verdict];
  const text = reason(process, verdict);
  return (
    <Tooltip text={text}>
      <button
        type="button"
        aria-label={`${model}, ${t(`check.process.${process.name}`)}: ${t(`check.state.${verdict}`)}`}
        aria-expanded={open}
        onClick={onOpen}
        className={cx(
          'touch inline-grid size-8 place-items-center rounded-control hover:bg-hover dark:hover:bg-fill',
          tone,
          open && 'bg-fill',
        )}
      >
        <Icon of={icon} size={18} />
      </button>
    </Tooltip>
  );
}

/** The reason for a verdict, in one line: "Follows the schema: Failed · The answer is 42". */
function useReason() {
  const { t } = useTranslation('channelBulk');
  const nameOf = useResultName();
  return ({ results }: CheckProcess, verdict: Verdict): string => {
    const of = results.filter(({ status }) => status === checkStatus[verdict]);
    return of
      .map(({ name, remark }) =>
        [`${nameOf(name)}: ${t(`check.state.${verdict}`)}`, remark].filter(Boolean).join(' · '),
      )
      .join('; ');
  };
}

function useResultName() {
  const { t } = useTranslation('channelBulk');
  return (name: string): string => {
    const known = names.find((each) => each === name);
    return known ? t(`check.result.${known}`) : name;
  };
}

function Details({ process: { name, results, response } }: { process: CheckProcess }) {
  const { t } = useTranslation('channelBulk');
  return (
    <section
      aria-label={t(`check.process.${name}`)}
      className="grid grid-cols-1 gap-2 rounded-control border border-line px-3 py-2.5"
    >
      <h3 className="font-title text-13">{t(`check.process.${name}`)}</h3>
      <ul className="grid grid-cols-1 gap-1">
        {results.map((result, at) => (
          <ResultLine key={at} result={result} />
        ))}
      </ul>
      {response && (
        <CodeBlock
          code={JSON.stringify(response, null, 2)}
          label={t('check.answerOf', { name: t(`check.process.${name}`) })}
        />
      )}
    </section>
  );
}

function ResultLine({ result: { name, status, remark } }: { result: Result }) {
  const { t } = useTranslation('channelBulk');
  const nameOf = useResultName();
  const [kind, word] = looks[status as keyof typeof looks] ?? looks[checkStatus.unknown];
  return (
    <li className="flex flex-wrap items-start gap-x-3 text-13">
      <span className="min-w-0 flex-1 basis-40">
        {nameOf(name)}
        {remark !== '' && <span className="block text-12 break-words text-text2">{remark}</span>}
      </span>
      <Status kind={kind} text={t(word)} />
    </li>
  );
}
