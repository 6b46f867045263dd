import { ChevronRight, Code, Copy, Ellipsis, GitBranch, RotateCw, Wrench } from 'lucide-react';
import { lazy, memo, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useOwners } from '#api/owners.ts';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { IconButton } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import type { ModelAnswer, ToolCall } from '#domain/playground/playground-types.ts';
import { AnswerText } from '#domain/playground/render/answer-text.tsx';
import { CodeBox } from '#domain/playground/render/code-box.tsx';
import { PlainText } from '#domain/playground/render/plain-text.tsx';
import { branchAfter, retryAnswer } from '#domain/playground/store/playground-calls.ts';
import { showCode } from '#domain/playground/store/playground-store.ts';
import type { PlaygroundModel } from '#domain/playground/use-playground-models.ts';
import { AnswerFacts } from './answer-facts.tsx';

const AnswerError = lazy(async () => ({ default: (await import('./answer-error.tsx')).AnswerError }));
const TaskNote = lazy(async () => ({ default: (await import('./task-note.tsx')).TaskNote }));
const AnswerMedia = lazy(async () => ({ default: (await import('./answer-media.tsx')).AnswerMedia }));

interface Props {
  roundId: string;
  answer: ModelAnswer;
  /** Models for another try. */
  models: readonly PlaygroundModel[];
}

/** An answer with its reasoning, tool calls, media, numbers and actions. */
export const AnswerView = memo(function AnswerView({ roundId, answer, models }: Props) {
  const { t } = useTranslation('playground');
  const { state, text, reasoning, tools, media, error, task } = answer;
  const running = state === 'running';
  const owners = useOwners();
  const owner = models.find(({ name }) => name === answer.model)?.owner;
  const retry = (change = {}) => retryAnswer(roundId, answer.id, change);
  const isEmpty = text === '' && reasoning === '' && tools.length === 0 && media.length === 0;
  return (
    <article aria-label={t('answerOf', { model: answer.model })} aria-busy={running} className="min-w-0">
      <h3 className="mb-1.5 flex min-w-0 items-center gap-2 text-13">
        <OwnerTile name={owner || answer.model} icon={owners.find(({ name }) => name === owner)?.icon} size={24} />
        <MiddleCut text={answer.model} />
      </h3>
      {reasoning !== '' && (
        <details className="group mb-2 rounded-control border border-line bg-card text-13 text-text2">
          <summary className="flex cursor-pointer list-none items-center gap-1.5 px-2.5 py-1.5 select-none max-sm:min-h-10">
            <Icon of={ChevronRight} size={14} className="transition-transform group-open:rotate-90" />
            {running && text === '' ? t('reasoningRuns') : t('reasoningOf')}
          </summary>
          <div className="max-h-80 overflow-y-auto border-t border-line px-3 py-2">
            <PlainText text={reasoning} />
          </div>
        </details>
      )}
      {text !== '' && <AnswerText text={text} open={running} />}
      {tools.map((tool, index) => (
        <ToolCallView key={index} tool={tool} open={running} />
      ))}
      {media.length > 0 && (
        <Suspense>
          <AnswerMedia media={media} />
        </Suspense>
      )}
      {task && (
        <Suspense>
          <TaskNote task={task} running={running} />
        </Suspense>
      )}
      {state === 'done' && isEmpty && <p className="text-13 text-text2">{t('emptyAnswer')}</p>}
      {error && (
        <Suspense>
          <div className="mt-2">
            <AnswerError answer={answer} error={error} onRetry={retry} />
          </div>
        </Suspense>
      )}
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <AnswerFacts answer={answer} />
        {!running && (
          <div className="ml-auto flex items-center gap-0.5">
            {text !== '' && <CopyButton text={text} name={t('answer')} />}
            <IconButton size="sm" iconSize={14} label={t('retry')} icon={RotateCw} onClick={() => retry()} />
            <IconButton size="sm" iconSize={14} label={t('showCode')} icon={Code} onClick={() => showCode(answer.id)} />
            <MenuButton
              size="sm"
              label={t('moreForAnswer')}
              icon={Ellipsis}
              entries={() => [
                { label: t('branch'), icon: GitBranch, onSelect: () => branchAfter(roundId) },
                answer.requestId !== undefined && {
                  label: t('copyRequestId'),
                  icon: Copy,
                  onSelect: () => void copyText(answer.requestId ?? '', t('requestId')),
                },
                models.length > 1 && { heading: t('retryWith') },
                ...models
                  .map(({ name }) => name)
                  .filter((model) => model !== answer.model)
                  .map((model) => ({ label: model, icon: RotateCw, onSelect: () => retry({ model }) })),
              ]}
            />
          </div>
        )}
      </div>
    </article>
  );
});

function ToolCallView({ tool, open }: { tool: ToolCall; open: boolean }) {
  const { t } = useTranslation('playground');
  return (
    <div className="mt-2">
      <p className="flex items-center gap-1.5 text-13 text-text2">
        <Icon of={Wrench} size={14} />
        {t('toolCall', { name: tool.name })}
      </p>
      <CodeBox language="json" text={indented(tool.input)} open={open} />
    </div>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json; // still being written, or cut
  }
}
