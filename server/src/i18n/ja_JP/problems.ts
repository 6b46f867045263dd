import type { ProblemTexts } from '../text-types.ts';

export const problems: ProblemTexts = {
  required: '必須です',
  kinds: {
    text: '文字列',
    number: '数値',
    whole: '整数',
    flag: 'true または false',
    list: 'リスト',
    object: 'オブジェクト',
  },
  expected: (kind) => `${kind}で指定してください`,
  atLeast: {
    characters: (limit) => (limit === '1' ? '空にはできません' : `${limit} 文字以上にしてください`),
    entries: (limit) => `${limit} 件以上にしてください`,
    number: (limit) => `${limit} 以上にしてください`,
  },
  atMost: {
    characters: (limit) => `${limit} 文字以内にしてください`,
    entries: (limit) => `${limit} 件以内にしてください`,
    number: (limit) => `${limit} 以下にしてください`,
  },
  above: (limit) => `${limit} より大きくしてください`,
  below: (limit) => `${limit} より小さくしてください`,
  multiple: (of) => `${of} の倍数にしてください`,
  oneOf: (values) => `次のいずれかにしてください：${values}`,
  unknownKeys: (keys) => `不明な項目があります：${keys}`,
  ignored: (field) => `${field}：このリクエストでは使用されないため、無視しました`,
  format: '形式が正しくありません',
  invalid: '値が正しくありません',
};
