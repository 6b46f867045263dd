import type { Token } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSelf } from '#api/self.ts';
import { modelsQuery } from '#screens/panel/token/token-api.ts';
import { modelsOfGroup, modelsFor, type ToolModel } from '#domain/model/chat-models.ts';
import type { Tool } from './tools/tool.ts';

interface ToolModels {
  /** False while the models are loading. */
  known: boolean;
  models: readonly ToolModel[];
  /** The chosen or best model; undefined if there is none. */
  model: string | undefined;
  /** A small model for background work. */
  small: string | undefined;
  choose: (model: string) => void;
}

/** The models that a token may call, those that suit the tool first. A choice holds for the tool. */
export function useToolModels(tool: Tool, token: Token): ToolModels {
  const { data: available } = useQuery(modelsQuery);
  const { data: self } = useSelf();
  const [chosen, setChosen] = useState<string>();
  const group = token.group || self?.group;
  const known = available !== undefined && group !== undefined;
  const models = known ? modelsFor(available, modelsOfGroup(available, group), tool.models) : [];
  const model = models.find(({ name }) => name === chosen)?.name ?? models[0]?.name;
  const small = models.find(({ name }) => /claude.*haiku/.test(name))?.name;
  return { known, models, model, small, choose: setChosen };
}
