import { describe, expect, it } from '@jest/globals';
import { checkpointCommand } from '../../../src/cli/commands/checkpoint-command.js';

describe('wallet-rpc checkpoint', () => {
  it.each([
    ['make', '--height=1'],
    ['check', 'file'],
  ])('%s takes the known rules of the next fork alone', (name, argument) => {
    const command = checkpointCommand({ print: () => undefined, hint: () => undefined } as never);
    command.commands.forEach((one) => one.configureOutput({ writeErr: () => undefined }));
    const run = (): unknown =>
      command.parse([name, argument, '--daemon-address=localhost:1', '--fork-rules=carrot'], {
        from: 'user',
      });
    expect(run).toThrow(/'carrot' is invalid\. Allowed choices are carrot-2026-07, none\./);
  });
});
