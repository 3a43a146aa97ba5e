@rem What `exec` of the npm script "start" is on Windows: runs the command. It leaves this file first, so that Ctrl-C asks no question.
@goto #_undefined_# 2>NUL || title %COMSPEC% & %*
