// SPDX-License-Identifier: Apache-2.0

import java.io.File;
import org.gradle.api.internal.StartParameterInternal;
import org.gradle.api.internal.file.FileCollectionFactory;
import org.gradle.cli.CommandLineArgumentException;
import org.gradle.cli.CommandLineParser;
import org.gradle.initialization.BuildLayoutParameters;
import org.gradle.initialization.DefaultBuildCancellationToken;
import org.gradle.initialization.DefaultBuildRequestContext;
import org.gradle.initialization.DefaultBuildRequestMetaData;
import org.gradle.initialization.NoOpBuildEventConsumer;
import org.gradle.initialization.layout.BuildLayoutFactory;
import org.gradle.internal.buildprocess.BuildProcessState;
import org.gradle.internal.classpath.ClassPath;
import org.gradle.internal.instrumentation.agent.AgentStatus;
import org.gradle.internal.logging.LoggingManagerInternal;
import org.gradle.internal.logging.services.LoggingServiceRegistry;
import org.gradle.internal.nativeintegration.services.NativeServices;
import org.gradle.internal.service.ServiceRegistry;
import org.gradle.launcher.cli.BuildEnvironmentConfigurationConverter;
import org.gradle.launcher.exec.BuildActionResult;
import org.gradle.launcher.exec.BuildExecutor;
import org.gradle.launcher.exec.DefaultBuildActionParameters;
import org.gradle.tooling.internal.provider.action.ExecuteBuildAction;

/**
 * Runs a Gradle build in this JVM, with the options of the command {@code gradle}, as that does with
 * {@code --no-daemon}. Calls Gradle's own parser of options and its executor of builds; see {@code
 * etc/test/gradle}.
 */
class GradleBuild {
  public static void main(String[] args) {
    System.exit(build(args) ? 0 : 1);
  }

  private static boolean build(String[] args) throws CommandLineArgumentException {
    ServiceRegistry logging = LoggingServiceRegistry.newCommandLineProcessLogging();
    NativeServices.initializeOnDaemon(
        new BuildLayoutParameters().getGradleUserHomeDir(),
        NativeServices.NativeServicesMode.ENABLED);
    try (BuildProcessState process =
        new BuildProcessState(
            false,
            AgentStatus.disabled(),
            ClassPath.EMPTY,
            logging,
            NativeServices.getInstance())) {
      ServiceRegistry services = process.getServices();
      StartParameterInternal start = parse(args, services);
      start.addInitScript(new File(System.getProperty("gradle.init")));
      LoggingManagerInternal output = logging.getFactory(LoggingManagerInternal.class).create();
      output.setLevelInternal(start.getLogLevel()).captureSystemSources().start();
      try {
        BuildActionResult result =
            services
                .get(BuildExecutor.class)
                .execute(
                    new ExecuteBuildAction(start),
                    new DefaultBuildActionParameters(
                        System.getProperties(),
                        System.getenv(),
                        start.getCurrentDir(),
                        start.getLogLevel(),
                        false,
                        ClassPath.EMPTY),
                    new DefaultBuildRequestContext(
                        new DefaultBuildRequestMetaData(System.currentTimeMillis()),
                        new DefaultBuildCancellationToken(),
                        new NoOpBuildEventConsumer()));
        return !result.hasFailure();
      } finally {
        output.stop();
      }
    }
  }

  private static StartParameterInternal parse(String[] args, ServiceRegistry services) {
    BuildEnvironmentConfigurationConverter options =
        new BuildEnvironmentConfigurationConverter(
            services.get(BuildLayoutFactory.class), services.get(FileCollectionFactory.class));
    CommandLineParser parser = new CommandLineParser();
    options.configure(parser);
    return options.convertParameters(parser.parse(args), null).getStartParameter();
  }
}
