import { printLine, printTable } from '../print.ts';
import type { Question } from './question.ts';

const reach: Question = {
  text: 'What can this credential reach?',
  async answer(ask) {
    const { scopes, projects } = await ask<{ scopes: string[]; projects: { id: number; name: string }[] }>('get_credential', {});
    printLine(`Scopes: ${scopes.join(', ')}`);
    printTable(
      ['project', 'id'],
      projects.map(({ id, name }) => [name, String(id)]),
    );
  },
};

/** Questions about what can be reached. */
export const accessQuestions: readonly Question[] = [reach];
